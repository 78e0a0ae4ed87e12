import { createHash } from 'node:crypto'

/** A file that restic lists before all others of its kind, and cannot read. */
export const garbage = (kind: string) => {
  for (let round = 0; ; round++) {
    const text = `garbage in ${kind}, ${round}`
    const name = createHash('sha256').update(text).digest('hex')
    if (name.startsWith('000')) return { kind, text, name }
  }
}
