import type { Reply } from './replies.ts'

/** The relay answered, and it does not work: nothing of a message is at fault. */
export class Refused extends Error {}

export function expect(reply: Reply, code: number): void {
  if (reply.code !== code) throw new Refused(reply.text)
}
