// The page for other sites' frames: steps in place, by keys as soon as the frame has the focus.

import { loadTexts } from "../shared/texts.js";
import { stepInPlace } from "./turns.js";

await loadTexts("public");
stepInPlace((href) => href);
