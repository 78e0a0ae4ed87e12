import type { Output } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { conflict, type ServiceError } from '#shared/kernel/errors.ts'
import { complaintOf, type RunnableSite } from './wp-cli.ts'

/** Matches the beginning of a fatal error in PHP's error log. */
const FATAL =
  /^(?:PHP )?(?:(Parse)|Fatal|Core|Compile|Recoverable fatal) error: {1,4}(Uncaught |Allowed memory|Maximum execution)?/
/** Matches `in FILE on line N`, and in the first line of an uncaught error `in FILE:N`. */
const PLACE = / in (\/[^\n]{1,400}?)(?: on line |:)(\d{1,9})$/
const THROWN = /^ {2}thrown in (\/[^\n]{1,400}) on line (\d{1,9})$/
/** Matches usual file names: the path comes from the site. */
const PATH = /^[\w][\w./@+-]{0,200}$/
const MAX_LINES = 200
const MAX_LINE = 1000

interface FatalError {
  kind: string
  /** The path below the folder of the site; undefined outside of it, or for an odd name. */
  file: string | undefined
  line: string
}

/**
 * Returns the failure of a run of wp-cli. An error of PHP that ends WordPress is named by its kind
 * and place only: its text may have a secret in it. `problem` is what was not done.
 */
export function wordpressFailure(
  site: RunnableSite,
  output: Output,
  problem: string,
): ServiceError {
  const fatal = fatalIn(output, docrootOf(site.user))
  if (!fatal) {
    const complaint = complaintOf(output)
    // A full disk is not a failure of WordPress: the operation gives it the code `disk_full`.
    return conflict(
      `${problem}: ${complaint}`,
      isDiskFull(complaint) ? undefined : 'wordpress_failed',
    )
  }
  const { kind, file, line } = fatal
  const part = partOf(file)
  const place = file === undefined ? '' : ` (${file}, line ${line})`
  const where = part === undefined ? '' : ` in ${part.name}`
  const remedy = part?.remedy ?? 'correct it, or restore a backup'
  return conflict(
    `${problem}: WordPress of the site stops with ${kind}${where}${place}. The error log of the site has its text; ${remedy}`,
    'wordpress_fatal',
  )
}

/** Returns the error for a program that succeeded without the answer that it prints last. */
export const wordpressSilent = (problem: string): ServiceError =>
  conflict(
    `${problem}: WordPress of the site ended before it had answered, or its answer is not readable. Look for a must-use plugin, or a line in wp-config.php, that prints something or ends each request`,
    'wordpress_failed',
  )

function fatalIn({ stderr, stdout }: Output, docroot: string): FatalError | undefined {
  const lines = `${stderr}\n${stdout}`.split('\n', MAX_LINES).map((line) => line.slice(0, MAX_LINE))
  const at = lines.findIndex((line) => FATAL.test(line))
  const found = FATAL.exec(lines[at] ?? '')
  if (!found) return undefined
  const thrown = lines
    .slice(at)
    .map((line) => THROWN.exec(line))
    .find(Boolean)
  const [, path = '', line = ''] = thrown ?? PLACE.exec(lines[at] ?? '') ?? []
  const below = path.startsWith(`${docroot}/`) ? path.slice(docroot.length + 1) : ''
  const file = PATH.test(below) && !below.includes('..') ? below : undefined
  return { kind: kindOf(found), file, line }
}

function kindOf([, parse, beginning]: RegExpExecArray): string {
  if (parse) return 'a syntax error'
  if (beginning === 'Uncaught ') return 'an error that nothing catches'
  if (beginning === 'Allowed memory') return 'an error at its memory limit'
  return beginning ? 'an error at its time limit' : 'a fatal error'
}

/** Returns the plugin or theme of a file, and how to turn it off. */
function partOf(file = ''): { name: string; remedy: string } | undefined {
  const [, folder, slug = ''] = /^wp-content\/(plugins|mu-plugins|themes)\/([^/]+)/.exec(file) ?? []
  const rename = `rename wp-content/${folder}/${slug} to turn it off, or restore a backup`
  if (folder === 'plugins')
    return { name: `the plugin ${slug.replace(/\.php$/, '')}`, remedy: rename }
  if (folder === 'mu-plugins') return { name: `the must-use plugin ${slug}`, remedy: rename }
  if (folder === 'themes') return { name: `the theme ${slug}`, remedy: rename }
  return undefined
}
