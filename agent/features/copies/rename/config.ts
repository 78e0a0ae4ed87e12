import { z } from 'zod'
import { replacedOf } from '#agent/features/backups/paths.ts'
import { schemeOf } from '#agent/features/wordpress/addresses/addresses.ts'
import { writtenNamesOf } from '#agent/features/wordpress/addresses/written-names.ts'
import { complaintOf, runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { configProgram, type FileTexts, NETWORK } from './config-program.ts'

const SECRET = { mode: 0o600 }
/** The limit of the whole answer: the program limits number and size of the files. */
const MAX_BYTES = 64 << 20

const ConfigAnswer = z.record(
  z
    .string()
    .max(300)
    .regex(/^[\w.-]+(?:\/[\w.-]+)*$/),
  z.base64(),
)

const keptIn = (user: string) => `${replacedOf(user)}/config.json`

type ConfigMode = Parameters<typeof configProgram>[0]['mode']

/**
 * Lists the configuration files with the former address, which include wp-config.php if it sets
 * one. Throws conflict for a site that is not a WordPress, and with the code `multisite` for a
 * network.
 */
export async function listConfigFiles(host: Host, from: Site, to: Site): Promise<string[]> {
  return Object.keys(await runConfigProgram(host, from, to, 'look', {})).sort()
}

/** Stores the present texts for the undo, and changes the address in them. Returns the paths. */
export async function rewriteConfig(host: Host, from: Site, to: Site): Promise<string[]> {
  const kept = await runConfigProgram(host, from, to, 'look', {})
  await host.files.write(keptIn(to.user), `${JSON.stringify(kept)}\n`, SECRET)
  return Object.keys(await runConfigProgram(host, from, to, 'write', kept)).sort()
}

/** Undoes a whole or partial `rewriteConfig`. */
export async function restoreConfig(host: Host, from: Site, to: Site): Promise<void> {
  const kept = parseJson(ConfigAnswer, await host.files.read(keptIn(to.user), MAX_BYTES))
  if (kept && Object.keys(kept).length > 0) await runConfigProgram(host, from, to, 'back', kept)
}

async function runConfigProgram(
  host: Host,
  from: Site,
  to: Site,
  mode: ConfigMode,
  kept: FileTexts,
): Promise<Record<string, string>> {
  const home = homeOf(to.user)
  const code = configProgram({
    docroot: docrootOf(to.user),
    names: writtenNamesOf(from.domain),
    home,
    new_home: home,
    domain: to.domain,
    scheme: schemeOf(to),
    mode,
    kept,
  })
  const output = await runWpCli(host, to, ['--skip-wordpress', 'eval-file', '-'], code)
  if (output.code !== 0) throw refusalOf(from, complaintOf(output))
  const found = parseJson(ConfigAnswer, output.stdout.trimEnd().split('\n').at(-1))
  if (!found) throw refusalOf(from, 'wp-cli returned no list of files')
  return found
}

function refusalOf({ domain }: Site, complaint: string): Error {
  if (complaint.includes(NETWORK))
    return conflict(
      `The primary domain of ${domain} cannot be changed: ${NETWORK}, whose addresses are in other tables`,
      'multisite',
    )
  return conflict(`The configuration of ${domain} cannot be changed: ${complaint}`)
}
