import type { Host } from '#agent/kernel/host/ports.ts'
import { renderBase } from './base.ts'

/** The configuration that the virtual hosts of all sites use. */
export const BASE_PATH = '/etc/nginx/conf.d/hosting.conf'

type Readable = Pick<Host, 'files'>

export async function baseOf(host: Readable): Promise<string> {
  const bucket = !(await isSet(host, 'server_names_hash_bucket_size'))
  return renderBase(bucket)
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
