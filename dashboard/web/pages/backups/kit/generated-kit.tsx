import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createKit, kitsQuery } from '#dashboard/web/api/backups.ts'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { createKeyPair } from './key-pair.ts'
import { renderKit } from './kit-file.ts'
import type { KitSteps } from './new-kit.tsx'
import { SavedKit } from './saved-kit.tsx'

/** The browser generates the key pair: the private key never leaves the page. */
export function GeneratedKit(props: KitSteps) {
  const client = useQueryClient()
  const { mutate, data, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const { public_key, private_key } = await createKeyPair()
      const { kit, challenge } = await createKit(public_key)
      void client.invalidateQueries(kitsQuery)
      return { text: renderKit({ ...kit, private_key }), challenge }
    },
  })
  if (data) return <SavedKit {...props} {...data} />
  return (
    <DialogForm
      action="Create recovery kit"
      onSubmit={mutate}
      onCancel={props.onClose}
      isBusy={isPending}
      error={error}
    >
      <div className="flex max-w-prose flex-col gap-3 text-muted">
        <p>
          Each repository has a password of its own, which its server generates. The kit is the key
          that opens these passwords if this dashboard and the servers are lost.
        </p>
        <p>
          Your browser generates it now. The private key stays in this page: save it as a file,
          print it, and then choose the saved file to prove that it works. The kit is in use from
          then on.
        </p>
        <p>
          A previous kit stays in use until then. Keep it until every site has been backed up with
          the new one.
        </p>
      </div>
    </DialogForm>
  )
}
