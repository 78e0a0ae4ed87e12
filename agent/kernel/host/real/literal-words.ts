/**
 * Matches words that systemd changes: a dollar anywhere, and a lone semicolon. Their usual escapes
 * do not last: systemd writes a transient unit to a file and escapes them there once more, so that
 * a `daemon-reload` before the program starts doubles them.
 */
const SPECIAL = /\$|^;$/

/**
 * The program of perl(1), which every Debian has, starts the program with the true words. The
 * service of the agent cannot execute it, so env(1) finds it.
 */
const DECODE = 'tr/\\1\\2/\\44\\73/r'
const START = ['env', 'perl', '-e', `exec {(map {${DECODE}} @ARGV)[0]} map {${DECODE}} @ARGV`, '--']

/** Returns the words after `--` of systemd-run(1) for a program that gets exactly these. */
export function literalWords(words: readonly string[]): string[] {
  if (!words.some((word) => SPECIAL.test(word))) return [...words]
  return [...START, ...words.map((word) => word.replaceAll('$', '\x01').replaceAll(';', '\x02'))]
}
