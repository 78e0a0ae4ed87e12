import { constants, sign } from 'node:crypto'
import {
  type KeeperNames,
  type KeeperProblemCode,
  type KeeperReport,
  MAX_LISTS,
  MAX_NAMES,
  MAX_PROBLEMS,
  signedText,
} from '#shared/backups/keeper-report.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { ReportLine } from './run.ts'

export interface KeeperProblemLine {
  code: KeeperProblemCode
  message: string
}

/** Returns the report of a run in one store from its lines. */
export function reportOf(at: string, lines: readonly ReportLine[]): KeeperReport {
  const sum = (of: (line: ReportLine) => number) =>
    lines.reduce((total, line) => total + of(line), 0)
  const problems = lines.flatMap(({ repository, problems: found = [] }) =>
    found.map(({ code, message }) => ({ repository, code, message: message.slice(0, 300) })),
  )
  const isDamage = ({ code }: KeeperProblemLine) => code === 'damaged'
  return {
    version: 1,
    at,
    repositories: lines.length,
    postponed: lines.filter(({ status }) => status === 'postponed').length,
    backups: sum(({ backups = 0 }) => backups),
    forgotten: sum(({ forgotten = [] }) => forgotten.length),
    troubled: lines.filter(({ problems: found = [] }) => found.length > 0).length,
    problems: problems
      .sort((one, other) => Number(isDamage(other)) - Number(isDamage(one)))
      .slice(0, MAX_PROBLEMS),
    names: lines.map(({ repository }) => repository).slice(0, MAX_NAMES),
  }
}

/** Returns the files of a run in one store: the report, and long lists of names. */
export function reportsOf(key: Secret, at: string, lines: readonly ReportLine[]): string[] {
  const names = lines.map(({ repository }) => repository)
  const lists = Array.from({ length: MAX_LISTS }, (_, index) => index + 1).flatMap((list) => {
    const own = names.slice(list * MAX_NAMES, (list + 1) * MAX_NAMES)
    return own.length > 0 ? [signedReport(key, { version: 1, at, list, names: own })] : []
  })
  return [...lists, signedReport(key, reportOf(at, lines))]
}

/** Signs a report as a file that everybody can read, and only this keeper can write. */
export function signedReport(key: Secret, report: KeeperReport | KeeperNames): string {
  const text = JSON.stringify(report)
  const padding = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  }
  const signature = sign('sha256', Buffer.from(signedText(text)), { key: key.reveal(), ...padding })
  return JSON.stringify({ report: text, signature: signature.toString('base64') })
}
