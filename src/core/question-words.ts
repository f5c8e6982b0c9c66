/** Words that questions contain and that say nothing about what is wanted. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a about after ago all am an and any are as at be been before behind between by can could did do does done each ever for friday from get give going had has have how i if in into is it its last latest list many me monday month most much my next now of on or our over please right same saturday see show since so some still sunday take tell than that the their them then there these they this those thursday to today tomorrow tuesday until up us was we wednesday week were what when where which who why will with would year yesterday yet you your'.split(
    ' ',
  ),
)
