import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { toast, toastError } from './toasts.tsx'

export interface CallOptions<R> {
  /** The message after a success. */
  done?: string | ((result: R) => string) | undefined
  /** The keys of the queries that it changes: they are requested again, also after a refusal. */
  changes?: readonly QueryKey[] | undefined
  /** What follows a success at once, while these queries are requested. */
  onSuccess?: ((result: R) => void) | undefined
  /** What follows a success, when these queries have answered. */
  onDone?: ((result: R) => unknown) | undefined
}

function useAfterCall<R>({ done, changes = [], onSuccess, onDone }: CallOptions<R>) {
  const client = useQueryClient()
  const refresh = () =>
    Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey })))
  return {
    onSuccess: async (result: R) => {
      if (done !== undefined) toast(typeof done === 'string' ? done : done(result))
      onSuccess?.(result)
      await refresh()
      await onDone?.(result)
    },
    onError: () => void refresh(),
  }
}

/** A call that a button starts: a refusal is shown as a message. */
export function useAction<A = void, R = unknown>(
  call: (argument: A) => Promise<R>,
  options: CallOptions<R> = {},
) {
  const { onSuccess, onError } = useAfterCall(options)
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationFn: call,
    onSuccess,
    onError: (error) => {
      toastError(error)
      onError()
    },
  })
  return { run: mutate, runAsync: mutateAsync, isBusy: isPending }
}

export interface FormCallOptions<R> extends CallOptions<R> {
  onClose: () => void
  /** The fields that show why they are refused: then the form shows no error. */
  fields?: readonly string[]
  /** The answer has a secret: it is not kept. */
  isSecret?: true
}

/** A call that the form of a dialog sends. `form` are props of `DialogForm`. */
export function useFormCall<R>(call: () => Promise<R>, options: FormCallOptions<R>) {
  const { fields = [], isSecret, onClose } = options
  const { mutate, data, isPending, error, reset } = useMutation({
    mutationFn: call,
    ...useAfterCall(options),
    ...(isSecret && { gcTime: 0 }),
  })
  const refusals = refusalsIn(error)
  const isShown = Object.keys(refusals).some((name) => fields.includes(name))
  return {
    form: {
      onSubmit: () => mutate(),
      onCancel: onClose,
      isBusy: isPending,
      error: isShown ? null : error,
    },
    /** Why fields are refused, by their names. */
    refusals,
    error,
    result: data,
    reset,
  }
}
