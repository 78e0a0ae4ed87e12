import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { documentOnce } from './document-once.ts'

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
