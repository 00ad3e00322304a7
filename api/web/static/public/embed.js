// The page for frames: turns in place, and keys that work as soon as the frame has the focus.

import { loadTexts } from "../shared/texts.js";
import { stepInPlace } from "./turns.js";

await loadTexts("public");
stepInPlace((href) => href);
