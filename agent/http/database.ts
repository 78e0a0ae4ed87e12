import { SiteRequest } from '#shared/agent.ts'
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

/** A database has the passwords of its site, so an export needs that permit. */
export const exportCall =
  ({ exportDatabase }: Exporting, policy: { permitPasswords(): Promise<void> }) =>
  async ({ req: { raw }, var: { body } }: Call): Promise<Response> => {
    const { domain } = parse(SiteRequest, jsonOf(raw, body))
    await policy.permitPasswords()
    return responseOf(await exportDatabase(domain))
  }
