import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { openApiDocument } from '#dashboard/features/openapi/document.ts'
import { buildOnce } from '#scripts/lib/built-from.ts'

type OpenApi = ReturnType<typeof openApiDocument>

const ROOT = join(import.meta.dir, '../../..')
const FILE = join(ROOT, 'dist/tests/openapi.json')

/** The document of the present sources, made once for all programs that check answers by it. */
async function documentOnce(): Promise<OpenApi> {
  const inputs = { root: ROOT, globs: ['dashboard/**/*.ts', 'shared/**/*.ts'], options: 'openapi' }
  await buildOnce(FILE, inputs, make)
  return JSON.parse(await readFile(FILE, 'utf8'))
}

async function make(): Promise<void> {
  const { openApiDocument } = await import('#dashboard/features/openapi/document.ts')
  const { SUBJECTS } = await import('#dashboard/routes.ts')
  await mkdir(dirname(FILE), { recursive: true })
  const draft = await mkdtemp(join(dirname(FILE), '.draft-'))
  try {
    await writeFile(join(draft, 'openapi.json'), JSON.stringify(openApiDocument(SUBJECTS)))
    await rename(join(draft, 'openapi.json'), FILE)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

export const document = await documentOnce()

// Another test validates the document itself.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
addFormats(ajv)
ajv.addSchema(document, 'api')

const compiled = new Map<string, ValidateFunction>()

/** Violations of the schema at a path of the document, one line each. */
export function faultsOf(path: readonly string[], value: unknown): string[] {
  const pointer = path
    .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${encodeURI(pointer)}` })
  compiled.set(pointer, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, Object.values(params).join(', ')].join(' ').trim(),
  )
}
