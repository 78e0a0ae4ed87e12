import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { findBuild } from '#dashboard/kernel/agents/builds.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { originOf } from '#dashboard/kernel/http/connection.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadServer } from '#dashboard/kernel/targets/load-site.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { Enrolment, EnrolmentState } from '#shared/servers/api/enrolment.ts'
import { downloadOf } from './download.ts'
import { enrolmentTopic } from './enroller.ts'
import { enrolmentState } from './enrolment-state.ts'
import { type EnrolmentDeps, openEnrolment } from './open-enrolment.ts'
import { unpinAgent } from './queries.ts'

const route = routesWith<
  EnrolmentDeps & Pick<CommonDeps, 'bus'> & { public_url: string | undefined }
>()

export const trustRoutes = {
  openEnrolment: route({
    at: 'POST /api/servers/:server_id/enrolment',
    summary: 'Create the command that installs the agent on a server',
    details: 'Replaces the previous one, and is valid for 15 minutes.',
    right: 'admin',
    loads: loadServer,
    answers: creates('Shown only once.', { enrolment: Enrolment }),
    run: async ({ deps, loaded, request, caller }) => {
      const origin = originOf(deps, request)
      const user_id = caller.user.id
      const { code, ...shown } = await openEnrolment(deps, loaded, { origin, user_id })
      deps.bus.notify(enrolmentTopic(loaded.id))
      return { enrolment: { code: code.reveal(), ...shown } }
    },
  }),
  getEnrolment: route({
    at: 'GET /api/servers/:server_id/enrolment',
    summary: 'Show whether the agent of a server is trusted',
    right: 'read',
    answers: shows('Its state.', { enrolment: EnrolmentState }),
    run: async ({ deps, params }) => {
      const id = idIn(params.server_id, 'Server')
      const enrolment = await enrolmentState(deps, id)
      if (enrolment.code?.status === 'open') deps.bus.notify(enrolmentTopic(id))
      return { enrolment }
    },
  }),
  revokeEnrolment: route({
    at: 'DELETE /api/servers/:server_id/enrolment',
    summary: 'Revoke the trust in the agent of a server',
    right: 'admin',
    loads: loadServer,
    answers: { 204: { about: 'It must be enrolled again.' } },
    run: async ({ deps, loaded: { id, hostname: domain }, caller }) => {
      const facts = { type: 'server.revoke', domain, server_id: id, user_id: caller.user.id }
      await unpinAgent(deps.db, id, entryOf(deps.clock, facts))
    },
  }),
}

const download = routesWith<{ builds_dir?: string | undefined }>()

export const downloadRoutes = {
  /** For anybody: a server that is being added cannot log in. */
  downloadAgent: download({
    at: 'GET /agent/:file',
    summary: 'Download the executable of the agent',
    details: 'Compressed, as `<machine>.gz`, such as linux-x64.gz.',
    right: 'open',
    answers: { 200: { about: 'The executable.', file: 'application/gzip' } },
    waits: true,
    run: async ({ deps, params, request }) => {
      const machine = /^([a-z0-9-]+)\.gz$/.exec(params.file)?.[1] ?? ''
      const build = await findBuild(machine, deps.builds_dir)
      if (!build) throw notFound('Agent')
      return downloadOf(build, request.method)
    },
  }),
}
