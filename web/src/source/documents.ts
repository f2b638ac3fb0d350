// Documents of the command line (`--format json`), by the names that the page calls them by.

export type { WhatHeldupBreakdownJsonAnswers as BreakdownDocument } from "../generated/breakdown-1";
export type { WhatHeldupCompareJsonAnswers as ComparisonDocument } from "../generated/comparison-1";
export type {
  ClassTotal,
  Finding,
  FindingGroup,
  TaskShare,
  WhatHeldupJsonAnswers as ExaminationDocument,
} from "../generated/examination-1";
export type { WhatHeldupTryJsonAnswers as ExperimentDocument } from "../generated/experiment-1";
export type { WhatHeldupStatusJsonAnswers as StatusDocument } from "../generated/status-1";
export type { WhatHeldupTablesJsonAnswers as TablesDocument } from "../generated/tables-1";

import type { WhatHeldupTryJsonAnswers } from "../generated/experiment-1";
import type { WhatHeldupStatusJsonAnswers } from "../generated/status-1";
import type { Pair } from "../marks/trial";

/** An experiment with the intervals that its pairs left, one after the other. */
export type ExperimentAnswer = WhatHeldupTryJsonAnswers & { pairs?: Pair[] };

/** The recorder, with what its archive consists of. */
export type RecordAnswer = WhatHeldupStatusJsonAnswers & { tables?: { name: string; bytes: number }[] };
