import { reading } from '#agent/kernel/calls/reading.ts'
import { accessReading, loginsReading } from '#shared/access/readings.ts'
import { listAccess } from './list.ts'
import { loginsOn } from './logins.ts'

export const access = reading(accessReading, async ({ host }) => ({
  sites: await listAccess(host),
}))

export const logins = reading(loginsReading, async ({ host }) => ({
  logins: await loginsOn(host).list(),
}))
