/** A state of the records: nothing has changed between two that are equal. */
export interface Version {
  /** Another text after each change of more than readings. */
  substance: string
  /** Another value after each change of readings. */
  readings: string | number
}
