import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { carryOut } from './certificates.ts'
import { missingNames, needsRenewal } from './coverage.ts'

/**
 * The certificate of a copy that only forwards and is to serve again, as its record has it. Returns
 * why the authority refused.
 */
export async function* alignCertificate(host: Host, copy: Site): Progress<string | undefined> {
  const isCovered =
    (await missingNames(host, copy)).length === 0 && !(await needsRenewal(host, copy))
  if (isCovered && copy.tls !== 'none') return undefined
  return (yield* carryOut(host, copy)).refused
}
