import { Hono } from 'hono'
import { ExecRequest, OPERATION_HEADER, OperationId, SiteRequest } from '#shared/agent.ts'
import { COMMANDS, isCommandName } from '#shared/commands.ts'
import { badRequest, bodyOf, notFound, ServiceError, unauthorized } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import type { Host } from './host/ports.ts'
import { readJson } from './http/body.ts'
import { lastEventId, streamOf } from './http/stream.ts'
import type { Runner } from './operations/runner.ts'
import type { Readings } from './readings.ts'

export interface AppDeps {
  host: Host
  runner: Runner
  readings: Readings
  /** Whether this request comes from who may ask; `/health` alone is open. */
  authenticate: (request: Request) => Promise<boolean>
  report: (error: unknown) => void
}

/** The seven calls of api.md part 4, and the events of an operation by its id. */
export function createApp({ runner, readings, authenticate, report }: AppDeps): Hono {
  const app = new Hono()

  app.use(async (context, next) => {
    const open = context.req.method === 'GET' && context.req.path === '/health'
    if (!open && !(await authenticate(context.req.raw))) throw unauthorized()
    await next()
    context.header('x-content-type-options', 'nosniff')
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
  })

  app.get('/health', (context) => context.json({ status: 'ok' }))
  app.get('/metrics', async (context) => context.json(await readings.metrics()))
  app.get('/services', async (context) => context.json({ services: await readings.services() }))
  app.get('/sites', async (context) => context.json({ sites: await readings.sites() }))

  app.post('/exec', async ({ req: { raw } }) => {
    const { command, params } = parse(ExecRequest, await readJson(raw))
    if (!isCommandName(command)) throw badRequest(`Unknown command: ${shown(command)}`)
    const checked = parse(COMMANDS[command].params, params)
    return streamOf(await runner.start(command, checked, operationId(raw)), lastEventId(raw))
  })

  app.post('/sites/wp-scan', async ({ req: { raw } }) => {
    const params = parse(SiteRequest, await readJson(raw))
    return streamOf(await runner.start('wp.scan', params, operationId(raw)), lastEventId(raw))
  })

  app.post('/sites/db-password', async (context) => {
    const { domain } = parse(SiteRequest, await readJson(context.req.raw))
    return context.json({ password: await readings.databasePassword(domain) })
  })

  app.post('/sites/admin-password', async (context) => {
    const { domain } = parse(SiteRequest, await readJson(context.req.raw))
    return context.json(await readings.adminPassword(domain))
  })

  app.get('/operations/:id/events', async (context) => {
    const operation = await runner.find(context.req.param('id'))
    if (!operation) throw notFound('Operation')
    return streamOf(operation, lastEventId(context.req.raw))
  })

  app.notFound(() => failure(notFound('Endpoint')))
  app.onError((error) => {
    if (!(error instanceof ServiceError)) report(error)
    return failure(error)
  })
  return app
}

function failure(error: unknown): Response {
  const status = error instanceof ServiceError ? error.status : 500
  return Response.json(bodyOf(error), { status, headers: { 'cache-control': 'no-store' } })
}

function operationId(request: Request): string | undefined {
  const id = request.headers.get(OPERATION_HEADER)
  if (id === null) return undefined
  if (OperationId.safeParse(id).success) return id
  throw badRequest('The Operation-Id header must have 1 to 64 of A-Z a-z 0-9 _ -')
}

/** A hostile name comes back as what it is, in one short line. */
function shown(name: string): string {
  return name.replace(/\p{Cc}/gu, ' ').slice(0, 100)
}
