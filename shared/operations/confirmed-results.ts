import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'

/** Returns the first field of a result that contradicts the params of its operation. */
export function contradictedField(
  type: OperationType,
  result: unknown,
  params: unknown,
): string | undefined {
  return Object.entries(OPERATION_TYPES[type].confirms).find(([field, param]) => {
    const [answered, asked] = [valueAt(result, field), valueAt(params, param)]
    return asked != null && answered !== undefined && answered !== asked
  })?.[0]
}

/** Returns the value at a path of field names; undefined if there is no such field. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((inner, name) => (inner == null ? undefined : Object(inner)[name]), value)
