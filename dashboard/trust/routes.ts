import { Elysia } from 'elysia'
import { findBuild } from '#dashboard/agents/builds.ts'
import { callerOf } from '#dashboard/auth/caller.ts'
import { getServer } from '#dashboard/db/targets.ts'
import type { Deps } from '#dashboard/deps.ts'
import { idIn } from '#dashboard/http/path.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { notFound } from '#shared/errors.ts'
import { downloadOf } from './download.ts'
import { enrolmentState } from './enrolment-state.ts'
import { openEnrolment } from './open-enrolment.ts'
import { unpinAgent } from './queries.ts'

export function trustRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id/enrolment' })
    .post('', async ({ request, params, status, set }) => {
      const server = await getServer(deps.db, idIn(params.server_id, 'Server'))
      const origin = deps.public_url ?? new URL(request.url).origin
      const user_id = callerOf(request).user.id
      set.headers['cache-control'] = 'no-store'
      const { code, ...shown } = await openEnrolment(deps, server, { origin, user_id })
      return status(201, { enrolment: { code: code.reveal(), ...shown } })
    })
    .get('', async ({ params }) => ({
      enrolment: await enrolmentState(deps, idIn(params.server_id, 'Server')),
    }))
    .delete('', async ({ request, params, set }) => {
      const { id, hostname } = await getServer(deps.db, idIn(params.server_id, 'Server'))
      await unpinAgent(deps.db, id, {
        type: 'server.revoke',
        domain: hostname,
        status: 'success',
        server_id: id,
        user_id: callerOf(request).user.id,
        created_at: timestamp(deps.clock),
      })
      set.status = 204
    })
}

/** The agent's executables, for anybody: a server that is being added cannot log in. */
export function downloadRoutes({ builds_dir }: Pick<Deps, 'builds_dir'>) {
  return new Elysia().get('/agent/:file', async ({ params, request, server }) => {
    const machine = /^([a-z0-9-]+)\.gz$/.exec(params.file)?.[1] ?? ''
    const build = await findBuild(machine, builds_dir)
    if (!build) throw notFound('Agent')
    server?.timeout(request, 0)
    return downloadOf(build, request.method)
  })
}
