import type { Host } from '#agent/kernel/host/ports.ts'
import { renderBase } from './base.ts'

/** The path of the configuration that the virtual hosts of all sites use. */
export const BASE_PATH = '/etc/nginx/conf.d/hosting.conf'

type FilesHost = Pick<Host, 'files'>

export async function baseOf(host: FilesHost): Promise<string> {
  const bucket = !(await isSet(host, 'server_names_hash_bucket_size'))
  return renderBase(bucket)
}

/** Returns whether somebody else has set it in nginx.conf or a file of conf.d. */
async function isSet({ files }: FilesHost, directive: string): Promise<boolean> {
  const names = (await files.list('/etc/nginx/conf.d')).map(({ name }) => name)
  const others = names.filter((name) => name.endsWith('.conf')).map((name) => `conf.d/${name}`)
  const paths = ['nginx.conf', ...others].map((name) => `/etc/nginx/${name}`)
  const expression = new RegExp(`^[^#\\n]*\\b${directive}\\s`, 'm')
  const texts = await Promise.all(
    paths.filter((path) => path !== BASE_PATH).map((path) => files.read(path)),
  )
  return texts.some((text) => text !== undefined && expression.test(text))
}
