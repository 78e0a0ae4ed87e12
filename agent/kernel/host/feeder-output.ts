/** The output of the program of `RunOptions.input_from`. */
export interface FeederOutput {
  code: number
  stderr: string
  bytes: number
  /** The SHA-256 of all bytes, in hexadecimal. */
  sha256: string
  /** The last characters, at most 200. */
  end: string
  /** The output of its own `input_from`. */
  fed?: FeederOutput
}
