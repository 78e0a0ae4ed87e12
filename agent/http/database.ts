import type { z } from 'zod'
import type { Runner } from '#agent/operations/runner.ts'
import { type Answered, packed } from '#agent/os/database-tool/answer.ts'
import type { Policy } from '#agent/policy/policy.ts'
import { SiteRequest } from '#shared/agent-requests.ts'
import { ToolFileRequest, ToolRequest } from '#shared/database-tool.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { parse } from '#shared/parse.ts'
import { jsonOf } from './body.ts'
import { responseOf, type Source } from './bytes.ts'

interface Exporting {
  exportDatabase(domain: string): Promise<Source>
}

interface Call {
  req: { raw: Request }
  var: { body: Uint8Array }
}

/** A database has the passwords of its site: whoever may not get a user of it gets no export. */
export const exportCall =
  ({ exportDatabase }: Exporting, policy: Pick<Policy, 'permit'>, runner: Pick<Runner, 'isBusy'>) =>
  async ({ req: { raw }, var: { body } }: Call): Promise<Response> => {
    const { domain } = parse(SiteRequest, jsonOf(raw, body))
    await policy.permit('database.user')
    if (runner.isBusy(apexOf(domain)))
      throw conflict(`Another operation is running on ${domain}: try again later`)
    return responseOf(await exportDatabase(domain))
  }

interface Tool {
  askTool(request: ToolRequest): Promise<Answered>
  toolFile(request: ToolFileRequest): Promise<Answered>
}

/** Requests to Adminer: each is refused as soon as the policy denies its sessions. */
function toolCall<S extends z.ZodType>(
  of: S,
  ask: (request: z.output<S>) => Promise<Answered>,
  policy: Pick<Policy, 'permit'>,
) {
  return async ({ req: { raw }, var: { body } }: Call): Promise<Response> => {
    const request = parse(of, jsonOf(raw, body))
    const giveBack = await policy.permit('database.tool')
    giveBack()
    const headers = { 'content-type': 'application/octet-stream' }
    return new Response(Buffer.from(packed(await ask(request))), { headers })
  }
}

/** The calls about the database of a site that answer with bytes, by their paths. */
export const databaseCalls = (
  readings: Exporting & Tool,
  policy: Pick<Policy, 'permit'>,
  runner: Pick<Runner, 'isBusy'>,
) => ({
  '/sites/database-export': exportCall(readings, policy, runner),
  '/sites/database-tool': toolCall(ToolRequest, readings.askTool, policy),
  '/sites/database-tool-file': toolCall(ToolFileRequest, readings.toolFile, policy),
})
