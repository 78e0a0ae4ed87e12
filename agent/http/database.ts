import type { Runner } from '#agent/operations/runner.ts'
import type { Policy } from '#agent/policy/policy.ts'
import { SiteRequest } from '#shared/agent.ts'
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
