/**
 * Tickers that are also words, names or common abbreviations: in a headline only `$LINK` counts as the asset. DOGE
 * is also a department. ETH is not in the list, because the university of that name is seldom in market news.
 */
export const ORDINARY_TICKERS: ReadonlySet<string> = new Set(
  `ACE ACH ACT ADD AGI AI ALGO ALPHA ALT ANT APE API APT ARK ATH ATOM AUCTION AUDIO AXE BAKE BAL BAN BAND BAR BAT BEAM BETA
  BICO BIG BLUR BOND BONE BOOK BOX CAKE CAP CAT CELL CHAT CHESS CITY CLEAR CLOUD CLV COMBO COMP COOKIE CORE COS COTTON COW
  CREAM CULT CYBER DASH DATA DEGEN DENT DEXE DIA DOCK DODO DOG DOGE DOT DREAM DUSK EDGE EDU EGG ELF EOS EPIC ERA ERN ETC FARM
  FET FIDA FIDE FIO FIRE FIRM FLOW FLUX FOR FORM FORTH FRONT FUEL FUN GAL GALA GAME GAS GHOST GLOW GMT GO GOLD GRASS GROW
  HARD HIGH HIVE HOME HOOK HOT ICE ICON ICP ID IDEA IO IRIS JASMY JOE JUST KEY KIND KNOW LAND LAYER LIKE LINK LION LIT LIVE
  LOOM LOOKS LUCK LUNA MAGIC MANTRA MAP MASK MAV MAX MEDIA MEME MET METAL METIS MINA MIR MIX MOB MOON MOVE MOVR MUSE NEAR NEO
  NET NEXO NEON NOT OCEAN OG OM ONE OP OPEN ORBIT ORCA ORDER OX PAX PEOPLE PERP PHA PIXEL PLANET POL POLS PORT POWER PRIME PRO
  PROM PUNDIX PUSH QUICK RAD RAIN RARE RAY READY REAL RED REEF REN RENDER REP REQ RING RIO RISE ROBOT ROSE SAFE SAGA SAND SC
  SEED SHELL SKY SLEEP SNOW SPELL STAR STEEM STEP STORM STRAX STRIKE SUN SUPER SUSHI SWEAT SWELL SYS TEL THE THETA TIME TITAN
  TON TOP TOWN TRADE TREE TRU TRUMP TRUST UNI USUAL VALUE VELO VET VIA VOXEL WAR WAVES WAX WELL WEN WIN WING WOO WOOD YOU ZERO ZEN`.split(
    /\s+/,
  ),
)

/** How a name that is also a word must be written to count. */
export type NameCare =
  /** As the asset writes it: `Tether`, not `tether`. */
  | 'written'
  /** Also beside a word that identifies it: `Avalanche validators`, `Optimism (OP)`. */
  | 'beside'

/** Names in lower case that have another meaning in headlines. Other names count in any case. */
export const ORDINARY_NAMES: ReadonlyMap<string, NameCare> = new Map<string, NameCare>([
  // `bitcoin cash reserves` are reserves of cash.
  ...named(
    'written',
    'bitcoin cash, chainlink, injective, polkadot, ripple, sui, tether, uma, monad, sei, toncoin',
  ),
  ...named(
    'beside',
    `audius, avalanche, axie, ape, ark, aster, atom, axelar, balancer, bancor, beam, blast, blur, cake, chia, chiliz, compound,
    core, cosmos, cronos, dash, dent, enjin, ethena, flare, flow, flux, gala, gas, gnosis, harmony, helium, hive, holo, horizen,
    hyperliquid, icon, immutable, internet computer, jupiter, kava, kusama, link, lisk, luna, maker, mantle, mantra, mask, mina,
    move, movement, nano, near, neo, ocean, omni, one, ontology, optimism, origin, orchid, osmosis, pendle, people, pepe, polygon,
    polymath, popcat, quant, radiant, raydium, render, request, rocket pool, rose, safe, sand, secret, shadow, sky, sonic, spell,
    stacks, star, status, steem, stellar, stargate, storm, sun, super, sushi, swell, synapse, terra, the graph, theta, threshold,
    ton, tron, trust, vana, verge, waves, wax, wormhole, worldcoin, zero`,
  ),
])

function named(care: NameCare, names: string): readonly (readonly [string, NameCare])[] {
  return names.split(',').map((name) => [name.replace(/\s+/g, ' ').trim(), care] as const)
}
