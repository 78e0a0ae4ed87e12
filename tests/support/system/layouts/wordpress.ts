import type { Host } from '#tests/support/lab/index.ts'
import type { Reported } from './compare.ts'
import type { LayoutOnDisk } from './layout.ts'

/** By path and question. */
type Answers = ReadonlyMap<string, string>

const VERSION = 'core version'
const DATABASE = 'config get DB_NAME'

/** Two at a time, each as the owner of its WordPress; without plugins, themes and database. */
const ASK = `
ask() {
  out=$(runuser -u "$1" -- php /srv/mirror/wp-cli.phar --skip-plugins --skip-themes --path="$2" $3 2>&1 | tail -n 1)
  printf '%s\\t%s\\t%s\\n' "$2" "$3" "$out"
}
export -f ask
xargs -r -d '\\n' -n 3 -P 2 bash -c 'ask "$@"' ask
`

/** wp-cli's output for each WordPress of a stage. */
export async function askWpCli(host: Host, layouts: readonly LayoutOnDisk[]): Promise<Answers> {
  // All share the files of one WordPress: its version is read once.
  const input = layouts
    .flatMap(wordpressesOf)
    .flatMap(([path, { owner, database }], index) => [
      ...(index === 0 || database === null ? [owner, path, VERSION] : []),
      ...(database === null ? [] : [owner, path, DATABASE]),
    ])
  const options = { input: input.map((word) => `${word}\n`).join(''), timeout_ms: 180_000 }
  const lines = (await host.must(['bash', '-c', ASK], options)).split('\n')
  return new Map(
    lines.map((line) => {
      const [path, question, answer = ''] = line.split('\t')
      return [`${path} ${question}`, answer]
    }),
  )
}

const wordpressesOf = ({ contents, unproven }: LayoutOnDisk) =>
  Object.entries(contents).filter(
    ([, { is }]) => is === 'wordpress' && !unproven.includes('wordpress'),
  )

/** Where wp-cli, run as the owner of each WordPress, disagrees with the agent. */
export function wordpressDifferences(
  layout: LayoutOnDisk,
  reported: readonly Reported[],
  answers: Answers,
): string[] {
  return wordpressesOf(layout).flatMap(([path, { database }]) => {
    const site = reported.find(
      ({ docroot }) => docroot !== '' && `${path}/`.startsWith(`${docroot}/`),
    )
    if (!site) return []
    const asked: [string, string][] = [[VERSION, site.wp_version]]
    if (database !== null) asked.push([DATABASE, site.db_name])
    return asked
      .map(([question, found]) => [question, found, answers.get(`${path} ${question}`)])
      .filter(([, found, answer]) => answer !== undefined && found !== answer)
      .map(([question, found, answer]) => `${path}: ${question}: ${answer}, found ${found}`)
  })
}
