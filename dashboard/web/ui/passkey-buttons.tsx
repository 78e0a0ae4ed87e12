import { useMutation, useQuery } from '@tanstack/react-query'
import { totpQuery } from '#dashboard/web/api/account.ts'
import { confirmWithPasskey } from '#dashboard/web/api/passkeys.ts'
import { Button } from './button.tsx'
import { Failure } from './states.tsx'

interface PasskeyButtonsProps {
  onDone: () => void
  onPassword: () => void
}

/** Confirms with a passkey, or leads to password and code where the account has an app too. */
export function PasskeyButtons({ onDone, onPassword }: PasskeyButtonsProps) {
  const { data } = useQuery(totpQuery)
  const { mutate, isPending, error } = useMutation({
    mutationFn: confirmWithPasskey,
    onSuccess: onDone,
  })
  return (
    <>
      {error !== null && <Failure error={error} />}
      {data?.enabled && <Button onClick={onPassword}>Use password and code</Button>}
      <Button data-first kind="primary" busy={isPending} onClick={() => mutate()}>
        Use passkey
      </Button>
    </>
  )
}
