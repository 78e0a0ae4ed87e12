import { randomFillSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const MB = 1e6
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`
const SVG =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>\n'

/** One file of each kind that owners upload, by name; written to `folder`. */
export async function writeFiles(page: Page, folder: string): Promise<Map<string, string>> {
  const files: Record<string, Uint8Array | string> = {
    'film.mp4': film(30 * MB),
    'photo.jpg': await picture(page, 2400, 1600, 'image/jpeg'),
    'dot.png': await picture(page, 40, 40, 'image/png'),
    'menu.pdf': PDF,
    'logo.svg': SVG,
  }
  const paths = new Map<string, string>()
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await writeFile(path, content)
    paths.set(name, path)
  }
  return paths
}

/** The head of an MP4 file (ISO/IEC 14496-12), and noise. */
function film(size: number): Uint8Array {
  const head = Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')
  const bytes = Buffer.alloc(size)
  randomFillSync(bytes)
  head.copy(bytes)
  bytes.writeUInt32BE(size - head.length, head.length)
  bytes.write('mdat', head.length + 4, 'latin1')
  return bytes
}

/** Coloured noise, which no format compresses. */
async function picture(page: Page, width: number, height: number, type: string) {
  const encoded = await page.evaluate(
    ([width, height, type]) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      const context = canvas.getContext('2d')
      for (let at = 0; at < 4000; at++) {
        if (!context) throw new Error('no canvas')
        context.fillStyle = `hsl(${(at * 47) % 360} 70% ${20 + (at % 60)}%)`
        context.fillRect((at * 131) % width, (at * 89) % height, 60, 40)
      }
      return canvas.toDataURL(type, 0.9)
    },
    [width, height, type] as const,
  )
  return Buffer.from(encoded.split(',')[1] ?? '', 'base64')
}
