import type { TableTally, Tally } from './report.ts'
import type { Window } from './window.ts'

/** The settings for the rows of a statement. */
export interface RowOptions {
  window: Window
  tally: Tally
  backslashes: boolean
  max_value_bytes: number
}

export interface RowTable {
  tally: TableTally
  /** In the order of a row, as far as they are known. */
  columns: readonly string[]
  /** Which of them decide whether the digest leaves a row out. */
  watched: readonly boolean[]
}
