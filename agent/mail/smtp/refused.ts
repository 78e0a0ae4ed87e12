import type { Reply } from './replies.ts'

/** The relay answered with an error that does not concern the message. */
export class Refused extends Error {}

export function expect(reply: Reply, code: number): void {
  if (reply.code !== code) throw new Refused(reply.text)
}
