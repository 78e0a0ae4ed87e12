import type { Host } from '#agent/host/ports.ts'
import { renderBase } from './base.ts'

/** The configuration that the virtual hosts of all sites use. */
export const BASE_PATH = '/etc/nginx/conf.d/hosting.conf'
const VHOSTS = '/etc/nginx/sites-available'

type Readable = Pick<Host, 'files'>

export async function baseOf(host: Readable): Promise<string> {
  const bucket = !(await isSet(host, 'server_names_hash_bucket_size'))
  const open_files = !(await isSet(host, 'open_file_cache')) && (await hasFormerVhost(host))
  return renderBase(bucket, open_files)
}

/** In nginx.conf or a file of conf.d, by somebody else. */
async function isSet({ files }: Readable, directive: string): Promise<boolean> {
  const names = (await files.list('/etc/nginx/conf.d')).map(({ name }) => name)
  const others = names.filter((name) => name.endsWith('.conf')).map((name) => `conf.d/${name}`)
  const paths = ['nginx.conf', ...others].map((name) => `/etc/nginx/${name}`)
  const expression = new RegExp(`^[^#\\n]*\\b${directive}\\s`, 'm')
  const texts = await Promise.all(
    paths.filter((path) => path !== BASE_PATH).map((path) => files.read(path)),
  )
  return texts.some((text) => text !== undefined && expression.test(text))
}

/** A site of an earlier agent version gets its own settings with its next change. */
async function hasFormerVhost({ files }: Readable): Promise<boolean> {
  const names = (await files.list(VHOSTS)).map(({ name }) => name)
  const own = names.filter((name) => /^hosting-.+\.conf$/.test(name))
  const texts = await Promise.all(own.map((name) => files.read(`${VHOSTS}/${name}`)))
  return texts.some((text) => text !== undefined && !text.includes('open_file_cache'))
}
