"""An archive judged anew: every match under one rule set, by processes, with a report."""
