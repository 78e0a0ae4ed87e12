import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { fieldsOf } from '#shared/kernel/errors.ts'
import { CreateServer } from '#shared/servers/api/servers.ts'

/** The fields of the form, as texts. */
export interface ServerValues {
  hostname: string
  name: string
  port: string
  user: string
  tags: string
}
type FieldName = keyof ServerValues

export const NEW_SERVER: ServerValues = {
  hostname: '',
  name: '',
  port: '8443',
  user: 'root',
  tags: '',
}

/** The tags of a text, separated by commas. */
export const tagsOf = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)

/**
 * Input is checked by the rules of the API while it is typed; a field shows its mistake once it was
 * changed, or on submit. `save` gets the parsed values.
 */
export function useServerForm(initial: ServerValues, save: (input: CreateServer) => Promise<void>) {
  const [values, setValues] = useState(initial)
  const [touched, setTouched] = useState<ReadonlySet<FieldName>>(new Set())
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: save })
  const found = CreateServer.safeParse(inputOf(values))
  const broken = found.success ? {} : fieldsOf(found.error.issues)
  const refused = refusalsIn(error)
  const errorOf = (name: FieldName) =>
    (touched.has(name) ? broken[name]?.[0] : undefined) ?? refused[name]
  return {
    values,
    isPending,
    /** An error that belongs to no field. */
    error: error && Object.keys(refused).length === 0 ? error : null,
    /** The name, the value, the change and the error of a field. */
    field: (name: FieldName) => ({
      name,
      error: errorOf(name),
      value: values[name],
      onChange: (text: string) => {
        setValues({ ...values, [name]: text })
        setTouched(new Set([...touched, name]))
        reset()
      },
    }),
    set: (name: FieldName, value: string) => setValues({ ...values, [name]: value }),
    submit: (event: FormEvent) => {
      event.preventDefault()
      setTouched(new Set(Object.keys(values) as FieldName[]))
      if (found.success && !isPending) mutate(found.data)
    },
  }
}

function inputOf({ hostname, name, port, user, tags }: ServerValues) {
  return {
    hostname,
    ...(name.trim() && { name }),
    port: /^\d+$/.test(port.trim()) ? Number(port) : port,
    user,
    tags: tagsOf(tags),
  }
}
