import { CLIENT_GROUP } from '#agent/features/access/clients.ts'
import { DROP_IN, GROUP } from '#agent/features/access/places.ts'
import { DROP_IN_TEXT } from '#agent/features/access/ssh/drop-in.ts'
import type { Machine } from './machine.ts'
import { groupadd } from './programs/sshd.ts'

/** A server on which a client had an account: the groups and the settings of sshd stay. */
export function layOutAccess(machine: Machine): void {
  const { disk } = machine
  for (const group of [GROUP, CLIENT_GROUP]) groupadd(machine, ['groupadd', group], {})
  disk.putText(DROP_IN, DROP_IN_TEXT)
}
