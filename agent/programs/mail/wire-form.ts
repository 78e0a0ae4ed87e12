const CR = 13
const LF = 10

/**
 * Converts text for SMTP: every line ends with CR LF. A CR or LF alone becomes a line end, so that no
 * relay sees an early end of the message. NUL bytes are left out.
 */
export class WireForm {
  #atStart = true
  #afterCr = false

  push(chunk: Uint8Array): Buffer {
    const out = Buffer.allocUnsafe(2 * chunk.length)
    let size = 0
    for (const byte of chunk) {
      const second = this.#afterCr && byte === LF
      this.#afterCr = byte === CR
      if (second || byte === 0) continue
      if (byte === CR || byte === LF) {
        out[size++] = CR
        out[size++] = LF
        this.#atStart = true
        continue
      }
      out[size++] = byte
      this.#atStart = false
    }
    return out.subarray(0, size)
  }

  /** Returns the missing end of the last line. */
  end(): Buffer {
    return Buffer.from(this.#atStart ? '' : '\r\n')
  }
}
