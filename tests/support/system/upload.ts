import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host } from '#tests/support/lab/index.ts'
import { get } from './requests.ts'

/** Uploads a PDF in wp-admin, by its form without scripts. Returns its address. */
export async function uploadPdf(
  host: Host,
  origin: string,
  { user, password }: { user: string; password: string },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'))
  const jar = join(folder, 'cookies')
  const cookies = ['--cookie', jar, '--cookie-jar', jar]
  try {
    await writeFile(join(folder, 'menu.pdf'), '%PDF-1.4\n%%EOF\n')
    await get(host, `${origin}/wp-login.php`, { options: cookies })
    const login = ['log', user, 'pwd', password, 'testcookie', '1']
    const fields = login.flatMap((name, at) =>
      at % 2 === 0 ? ['--data-urlencode', `${name}=${login[at + 1]}`] : [],
    )
    await get(host, `${origin}/wp-login.php`, { options: [...cookies, ...fields] })
    const page = `${origin}/wp-admin/media-new.php?browser-uploader`
    const form = await get(host, page, { options: cookies })
    const nonce = /name="_wpnonce" value="(\w+)"/.exec(form.body)?.[1]
    if (nonce === undefined) throw new Error(`no form: ${form.status}`)
    const file = ['--form', `async-upload=@${join(folder, 'menu.pdf')};type=application/pdf`]
    const rest = ['--form', `_wpnonce=${nonce}`, '--form', 'html-upload=Upload']
    await get(host, page, { options: [...cookies, ...file, ...rest] })
    const { body } = await get(host, `${origin}/wp-json/wp/v2/media`)
    const [found] = JSON.parse(body) as { source_url: string }[]
    if (!found) throw new Error('nothing was uploaded')
    return found.source_url
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
