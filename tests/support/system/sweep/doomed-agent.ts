import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { readConfig } from '#agent/config.ts'
import type { Files } from '#agent/host/ports.ts'
import { realHost } from '#agent/host/real.ts'
import { serve } from '#agent/start.ts'
import { DOOM, type Doom, STARTED } from './doom.ts'

/** The agent of this machine, which dies, or stands still, at the record that the file DOOM names first. */
const config = readConfig(process.env)
const real = realHost(config.settings)
const operations = `${config.settings.state_dir}/operations/`
/** Of each file, how many records this process has appended while it had a doom. */
const records = new Map<string, number>()

const append: Files['append'] = async (path, text, options) => {
  const doom = path.startsWith(operations) && text !== '' ? fateOf(path) : undefined
  if (doom?.when === 'before') meet(doom)
  if (doom?.when === 'torn') {
    await real.files.append(path, text.slice(0, text.length / 2), options)
    meet(doom)
  }
  await real.files.append(path, text, options)
  if (doom?.when === 'after') meet(doom)
}

/** The doom of this record, when it is the one that was chosen. */
function fateOf(path: string): Doom | undefined {
  const [doom] = dooms()
  if (!doom || !path.endsWith(`/${doom.file}.ndjson`)) return undefined
  const record = (records.get(path) ?? 0) + 1
  records.set(path, record)
  return record === doom.record ? doom : undefined
}

function meet({ how }: Doom): void {
  const rest = dooms().slice(1)
  if (rest.length > 0) writeFileSync(DOOM, JSON.stringify(rest))
  else unlinkSync(DOOM)
  process.kill(process.pid, how)
}

function dooms(): Doom[] {
  return existsSync(DOOM) ? JSON.parse(readFileSync(DOOM, 'utf8')) : []
}

writeFileSync(STARTED, String(performance.timeOrigin))
await serve(config, { ...real, files: { ...real.files, append } })
