import type { Expected, LayoutOnDisk } from './layout.ts'
import type { Seen } from './visit.ts'

type Unproven = LayoutOnDisk['unproven']

/** Expectations that the web server disproves. */
export function disproved(
  { expected, unproven }: LayoutOnDisk,
  seen: ReadonlyMap<Expected, readonly Seen[]>,
): string[] {
  return expected.flatMap((site) =>
    (seen.get(site) ?? []).flatMap((visit) =>
      problemsOf(unproven, site, visit).map(
        (problem) => `${site.domain || site.names.join(' ')} (${visit.name}): ${problem}`,
      ),
    ),
  )
}

function problemsOf(unproven: Unproven, site: Expected, seen: Seen): string[] {
  if (site.closed) return seen.folder === '' ? [] : [`is closed, but answers from ${seen.folder}`]
  return [...folderProblems(unproven, site, seen), ...scriptProblems(unproven, site, seen)]
}

function folderProblems(unproven: Unproven, { docroot }: Expected, seen: Seen): string[] {
  if (!docroot || unproven.includes('folder') || seen.folder === docroot) return []
  return [`no visitor sees ${docroot}, but ${seen.folder || seen.status}`]
}

function scriptProblems(unproven: Unproven, site: Expected, { script, status }: Seen): string[] {
  if (unproven.includes('php')) return []
  if (!site.php) {
    return script && !site.unknown?.php ? [`runs PHP ${script.php} as ${script.user}`] : []
  }
  if (!script) return [`does not run PHP: ${status}`]
  const user = unproven.includes('user') ? site.user : script.user
  return [
    ...(script.php === site.php ? [] : [`PHP is ${script.php}, not ${site.php}`]),
    ...(user === site.user ? [] : [`scripts run as ${user}, not ${site.user}`]),
  ]
}
