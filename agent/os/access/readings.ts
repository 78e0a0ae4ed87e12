import { reading } from '#agent/calls/reading.ts'
import { accessReading, loginsReading } from '#shared/readings/access.ts'
import { listAccess } from './list.ts'
import { loginsOn } from './logins.ts'

export const access = reading(accessReading, async ({ host }) => ({
  sites: await listAccess(host),
}))

export const logins = reading(loginsReading, async ({ host }) => ({
  logins: await loginsOn(host).list(),
}))
