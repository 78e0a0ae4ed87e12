import type { z } from 'zod'
import type { Runner } from '#agent/operations/runner.ts'
import type { Policy } from '#agent/policy/policy.ts'
import type { Readings } from '#agent/readings/readings.ts'
import { SiteRequest } from '#shared/agent-requests.ts'
import { parse } from '#shared/parse.ts'
import { UploadRequest } from '#shared/site-database.ts'
import { JobOutputRequest } from '#shared/site-jobs.ts'

/** The answer to a body, which is parsed. */
type Reading = (body: unknown) => Promise<object>

/** Readings about the site that the body names, by their paths. */
export function siteCalls(
  readings: Readings,
  policy: Pick<Policy, 'permit' | 'permitPasswords'>,
  runner: Pick<Runner, 'unended'>,
): Record<string, Reading> {
  return {
    '/sites/job-runs': about(async (domain) => ({ runs: await readings.jobRuns(domain) })),
    '/sites/jobs': about(readings.siteJobs),
    '/sites/job-output': parsed(JobOutputRequest, readings.jobOutput),
    '/sites/wordpress-cron': about(readings.wordpressCron),
    '/sites/names': about(readings.nameStates),
    '/sites/wordpress-users': about(readings.wordpressUsers),
    '/sites/object-cache': about(readings.objectCache),
    '/sites/database': about(readings.database),
    '/sites/database-users': about(async (domain) => ({
      users: await readings.databaseUsers(domain),
    })),
    '/sites/database-exporting': about(readings.exporting),
    '/sites/database-upload': parsed(UploadRequest, async (request) => {
      const giveBack = await policy.permit('database.import')
      giveBack()
      const imports = await runner.unended('database.import')
      const own = imports.filter(({ domain }) => domain === request.domain)
      return readings.storePart(
        request,
        own.map(({ upload }) => upload),
      )
    }),
    '/sites/db-password': about(async (domain) => {
      await policy.permitPasswords()
      const password = await readings.databasePassword(domain)
      return { password: password.reveal() }
    }),
    '/sites/admin-password': about(async (domain) => {
      await policy.permitPasswords()
      const { user, password } = await readings.adminPassword(domain)
      return { user, password: password.reveal() }
    }),
  }
}

const parsed =
  <S extends z.ZodType>(of: S, read: (request: z.output<S>) => Promise<object>): Reading =>
  (body) =>
    read(parse(of, body))

const about = (read: (domain: string) => Promise<object>): Reading =>
  parsed(SiteRequest, ({ domain }) => read(domain))
