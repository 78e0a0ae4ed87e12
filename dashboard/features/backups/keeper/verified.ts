import { constants, verify } from 'node:crypto'
import { KeeperReport, SignedReport, signedText } from '#shared/backups/keeper-report.ts'
import { isAhead } from '#shared/kernel/age.ts'
import { parseJson } from '#shared/kernel/parse.ts'

/** The newest one; one of the future, whose clock was wrong, only if there is no other one. */
export const newest = (reports: readonly KeeperReport[], now: Date): KeeperReport | undefined =>
  reports.toSorted(
    (one, other) =>
      Number(isAhead(one.at, now)) - Number(isAhead(other.at, now)) ||
      Date.parse(other.at) - Date.parse(one.at),
  )[0]

/** The newest report that the keeper with this public key has signed: anybody may write others. */
export const newestOf = (
  key: string,
  texts: readonly string[],
  now: Date,
): KeeperReport | undefined =>
  newest(
    texts.flatMap((text) => verified(key, text) ?? []),
    now,
  )

function verified(key: string, text: string): KeeperReport | undefined {
  const signed = parseJson(SignedReport, text)
  if (!signed) return undefined
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  const signature = Buffer.from(signed.signature, 'base64')
  const bytes = Buffer.from(signedText(signed.report))
  const isOwn = verify('sha256', bytes, { key, padding, saltLength }, signature)
  return isOwn ? parseJson(KeeperReport, signed.report) : undefined
}
