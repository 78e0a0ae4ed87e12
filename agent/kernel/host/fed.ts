/** What the program of `RunOptions.input_from` gave to another one. */
export interface Fed {
  code: number
  stderr: string
  bytes: number
  /** The SHA-256 of all bytes, in hexadecimal. */
  sha256: string
  /** The last characters, at most 200. */
  end: string
  /** What its own `input_from` gave to it. */
  fed?: Fed
}
