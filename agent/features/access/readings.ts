import { reading } from '#agent/kernel/calls/reading.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import {
  accessReading,
  endSessionReading,
  loginsReading,
  openSessionsReading,
} from '#shared/access/readings.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { listAccess } from './list.ts'
import { loginsOn } from './logins.ts'
import { endSession } from './sessions.ts'

export const access = reading(accessReading, async ({ host }) => ({
  sites: await listAccess(host),
}))

export const logins = reading(loginsReading, ({ host }) => loginsOn(host).list())

export const openSessions = reading(openSessionsReading, async ({ host, params }) => {
  const { user } = await getSite(host, params.domain)
  const open = await loginsOn(host).listOpen(user)
  return { sessions: open.map(({ session }) => session) }
})

export const endOneSession = reading(endSessionReading, async ({ host, params }) => {
  const { user } = await getSite(host, params.domain)
  const open = await loginsOn(host).listOpen(user)
  const found = open.find(({ session }) => session.id === params.id)
  if (!found) throw notFound('Session')
  await endSession(host, found.process)
  return { session: found.session }
})
