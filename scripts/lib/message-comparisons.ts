import type { Document } from './documents.ts'

/** These names are of texts for people. Programs compare the code of a failure. */
const TEXT = String.raw`(?:\w*[mM]essage|\w*[rR]eason|last_line|last_error|CANCELLED)`
const COMPARISONS = [
  new RegExp(String.raw`\b${TEXT}\)?\??\.(?:startsWith|endsWith|includes|match|search|split)\(`),
  new RegExp(String.raw`[/\w]\.test\((?:\w+\.)*${TEXT}\)`),
  /\.(?:message|reason|last_line) [!=]== (?:['"`][^'"`]|[A-Z])/,
  /\.error [!=]== (?:['"`]|ERRORS)/,
]

/** Each with its reason: words that are not our own. */
const ALLOWED: Readonly<Record<string, string>> = {
  'agent/features/backups/restic/failures.ts': 'the words of restic and of the storage',
  'shared/backups/complaint.ts': 'the words of restic',
  'shared/backups/clock.ts': 'the words of restic, of S3 and of TLS',
  'agent/kernel/host/storage.ts': 'the words of the kernel, of programs and of MariaDB',
  'agent/programs/storage/fault.ts': 'ssh has one exit status for all failures',
  'scripts/install/health.ts': 'shows the first line of what curl printed',
  'dashboard/kernel/db/violations.ts': 'libSQL has no extended code over HTTP',
}

/** Returns `path:line` of each place where code compares a text for people. */
export function messageComparisons(files: readonly Document[]): string[] {
  return files.flatMap(({ path, text }) =>
    path in ALLOWED
      ? []
      : text
          .split('\n')
          .flatMap((line, at) =>
            !line.includes('typeof') && COMPARISONS.some((rule) => rule.test(line))
              ? [`${path}:${at + 1}`]
              : [],
          ),
  )
}
