import type { Call } from './operations.ts'

/** A shell command that makes the call with its example body and a token in `$TOKEN`. */
export function curlOf(
  { method, path, parameters = [], requestBody, ...call }: Call,
  origin: string,
) {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const body = requestBody?.content['application/json']?.example
  const flags = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(hasContent(call, /event-stream/) ? ['-N'] : []),
    ...(hasContent(call, /gzip/) ? ['-O'] : []),
  ]
  const isOpen = call.security?.length === 0
  return [
    ['curl', ...flags, quoted(origin + filled)].join(' '),
    ...(isOpen ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

const hasContent = ({ responses }: Pick<Call, 'responses'>, type: RegExp): boolean =>
  Object.values(responses).some(({ content = {} }) =>
    Object.keys(content).some((name) => type.test(name)),
  )

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
