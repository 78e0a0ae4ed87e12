import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { missingNames, needsRenewal } from './certificate-coverage.ts'
import { applyTls } from './certificates.ts'

/** Provides the certificate before a copy serves again. Returns why the authority refused. */
export async function* ensureCertificate(host: Host, copy: Site): Progress<string | undefined> {
  const isCovered =
    (await missingNames(host, copy)).length === 0 && !(await needsRenewal(host, copy))
  if (isCovered && copy.tls !== 'none') return undefined
  return (yield* applyTls(host, copy)).refused
}
