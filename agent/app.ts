import { Hono } from 'hono'
import type { ReadingDeps, ReadingTable } from '#agent/kernel/calls/reading.ts'
import { failureOf, isUnauthenticated } from '#agent/kernel/http/answer.ts'
import { jsonOf, MAX_ENROLMENT, readBytes } from '#agent/kernel/http/body.ts'
import type { Origin } from '#agent/kernel/http/listen.ts'
import { serveReadings } from '#agent/kernel/http/readings.ts'
import { idOf, inRequest } from '#agent/kernel/http/request-id.ts'
import { streamOf } from '#agent/kernel/http/stream.ts'
import { Unauthenticated } from '#agent/kernel/http/unauthenticated.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import type { Policy } from '#agent/kernel/policy/policy.ts'
import type { Enrolment } from '#agent/kernel/trust/enrolment.ts'
import type { Gate } from '#agent/kernel/trust/gate.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { contractOf, isCommandName } from '#shared/contracts.ts'
import { OPERATION_HEADER, OperationId, REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import {
  type CancelAnswer,
  CancelRequest,
  ExecRequest,
  SiteRequest,
} from '#shared/kernel/agent-requests.ts'
import { badRequest, notFound, ServiceError } from '#shared/kernel/errors.ts'
import { parse } from '#shared/kernel/parse.ts'
import { EnrolmentConfirmation, EnrolmentRequest } from '#shared/servers/enrolment.ts'

export interface AppDeps extends ReadingDeps {
  runner: Runner
  readings: ReadingTable
  /** Every call but `/health` requires authentication. */
  gate: Gate
  /** Absent when the agent runs without authentication. */
  enrolment?: Enrolment | undefined
  policy: Policy
  report: (error: unknown) => void
}

/** `body` is that of an authenticated request. */
type Env = { Variables: { body: Uint8Array }; Bindings: Partial<Origin> }

/** Creates the app with commands, their operations, the readings and the enrolment. */
export function createApp(deps: AppDeps) {
  const { runner, readings, gate, policy, enrolment, report } = deps
  const app = new Hono<Env>()
  const start = starter(runner, policy)
  const plan = planner(runner, policy)

  app.use(async (context, next) => {
    const id = idOf(context.req.raw)
    await inRequest(id, next)
    context.header(REQUEST_HEADER, id)
  })
  app.use(async (context, next) => {
    if (!isUnauthenticated(context.req.method, context.req.path)) {
      context.set('body', await gate(context.req.raw))
      context.env?.trust?.()
    }
    await next()
    context.header('x-content-type-options', 'nosniff')
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
  })

  app.post('/exec', async ({ req: { raw }, var: { body } }) => {
    const { command, params, dry_run } = parse(ExecRequest, jsonOf(raw, body))
    if (!isCommandName(command)) throw badRequest(`Unknown command: ${shown(command)}`)
    const contract = await contractOf(command)
    const checked = parse(contract.params, params ?? {})
    return dry_run ? plan(command, checked) : start(command, checked, raw)
  })

  app.post('/sites/wp-scan', ({ req: { raw }, var: { body } }) =>
    start('wp.scan', parse(SiteRequest, jsonOf(raw, body)), raw),
  )

  serveReadings(app, readings, deps, policy)
  operationCalls(app, runner)
  if (enrolment) enrolmentCall(app, enrolment)
  app.notFound(() => failureOf(notFound('Endpoint')))
  app.onError((error) => {
    if (!(error instanceof ServiceError || error instanceof Unauthenticated)) report(error)
    return failureOf(error)
  })
  return app
}

/** Starts an operation that the policy permits, or attaches to the one with the same id. */
function starter(runner: Runner, policy: Policy) {
  return async <N extends CommandName>(command: N, params: ParamsOf<N>, request: Request) => {
    const id = operationId(request)
    const known = id !== undefined && (await runner.find(id)) !== undefined
    const giveBack = known ? undefined : await policy.permit(command, params)
    try {
      return streamOf(await runner.start(command, params, id), request)
    } catch (error) {
      giveBack?.()
      throw error
    }
  }
}

function operationCalls(app: Hono<Env>, runner: Runner) {
  app.get('/operations/:id/events', async (context) => {
    const id = OperationId.safeParse(context.req.param('id'))
    const operation = id.success ? await runner.find(id.data) : undefined
    if (!operation) throw notFound('Operation')
    return streamOf(operation, context.req.raw)
  })
  app.post('/operations/:id/cancel', async ({ req, var: { body }, json }) => {
    const id = OperationId.safeParse(req.param('id'))
    if (!id.success) throw notFound('Operation')
    const { force } = parse(CancelRequest, body.length > 0 ? jsonOf(req.raw, body) : {})
    const answer: CancelAnswer = { ended: await runner.cancel(id.data, force) }
    return json(answer, 202)
  })
}

/** Returns a plan; the policy applies to plans too. */
function planner(runner: Runner, policy: Policy) {
  return async <N extends CommandName>(command: N, params: ParamsOf<N>): Promise<Response> => {
    const giveBack = await policy.permit(command, params)
    giveBack()
    return Response.json({ plan: await runner.plan(command, params) })
  }
}

function enrolmentCall(app: Hono<Env>, enrolment: Enrolment) {
  app.post('/enrol', async ({ req: { raw }, json }) => {
    await enrolment.expect()
    const body = jsonOf(raw, await readBytes(raw, MAX_ENROLMENT))
    const confirmation = EnrolmentConfirmation.safeParse(body)
    if (!confirmation.success) return json(await enrolment.answer(parse(EnrolmentRequest, body)))
    await enrolment.confirm(confirmation.data)
    return json({})
  })
}

function operationId(request: Request): string | undefined {
  const id = request.headers.get(OPERATION_HEADER)
  if (id === null) return undefined
  if (OperationId.safeParse(id).success) return id
  throw badRequest('The Operation-Id header must have 1 to 64 of A-Z a-z 0-9 _ -')
}

/** Shortens a name to one sanitised line: it may be hostile. */
function shown(name: string): string {
  return name.replace(/\p{Cc}/gu, ' ').slice(0, 100)
}
