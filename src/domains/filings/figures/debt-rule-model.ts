import { type FigureRule, type FigureSource, gaap, ifrs } from './figure-rule-model.js'

/** Parts of debt: due after a year, of it due within a year, borrowed for less than a year, and finance leases. */
const LONG = 'long-term'
const MATURING = 'current maturities'
const SHORT = 'short-term'
const LEASES = 'leases'
const LEASES_DUE = 'leases due within a year'

const source = (chain: FigureSource['chain'], ...parts: readonly string[]): FigureSource => ({ chain, parts })

/**
 * Debt that bears interest, with finance leases. The parts of each tag follow the calculations of the US-GAAP taxonomy: e.g.
 * DebtCurrent is what is due within a year, of long-term debt and of short-term borrowings.
 */
export const TOTAL_DEBT: FigureRule = {
  unit: 'USD',
  time: 'end',
  required: [[LONG, MATURING, SHORT]],
  sources: [
    source(gaap('DebtAndCapitalLeaseObligations'), LONG, MATURING, SHORT, LEASES, LEASES_DUE),
    source(
      gaap('LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities'),
      LONG,
      MATURING,
      LEASES,
      LEASES_DUE,
    ),
    source(gaap('DebtLongtermAndShorttermCombinedAmount'), LONG, MATURING, SHORT),
    source(gaap('LongTermDebt'), LONG, MATURING),
    source(gaap('LongTermDebtAndCapitalLeaseObligations'), LONG, LEASES),
    source(gaap('LongTermDebtNoncurrent'), LONG),
    source(gaap('DebtCurrent'), MATURING, SHORT, LEASES_DUE),
    source(gaap('LongTermDebtAndCapitalLeaseObligationsCurrent'), MATURING, LEASES_DUE),
    source(gaap('LongTermDebtCurrent'), MATURING),
    source(gaap('ShortTermBorrowings'), SHORT),
    source(gaap('FinanceLeaseLiability', 'CapitalLeaseObligations'), LEASES, LEASES_DUE),
    source(gaap('FinanceLeaseLiabilityNoncurrent', 'CapitalLeaseObligationsNoncurrent'), LEASES),
    source(gaap('FinanceLeaseLiabilityCurrent', 'CapitalLeaseObligationsCurrent'), LEASES_DUE),
    source(ifrs('Borrowings'), LONG, MATURING, SHORT),
    source(ifrs('LongtermBorrowings'), LONG),
    source(ifrs('CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings'), MATURING, SHORT),
    source(ifrs('CurrentPortionOfLongtermBorrowings'), MATURING),
    source(ifrs('ShorttermBorrowings'), SHORT),
  ],
  pieces: [
    {
      tags: [
        ...gaap('ConvertibleDebtNoncurrent', 'ConvertibleNotesPayableNoncurrent'),
        ...gaap('ConvertibleLongTermNotesPayable', 'ConvertibleSubordinatedDebtNoncurrent'),
        ...gaap(
          'LongTermNotesPayable',
          'LongTermNotesAndLoans',
          'SeniorLongTermNotes',
          'MediumtermNotesNoncurrent',
        ),
        ...gaap(
          'OtherLongTermNotesPayable',
          'NotesPayableToBankNoncurrent',
          'JuniorSubordinatedLongTermNotes',
        ),
        ...gaap('NotesPayableRelatedPartiesNoncurrent', 'LongTermLoansPayable', 'LongTermLoansFromBank'),
        ...gaap('SecuredLongTermDebt', 'UnsecuredLongTermDebt', 'SubordinatedLongTermDebt'),
        ...gaap('LongTermLineOfCredit', 'LongTermCommercialPaperNoncurrent', 'OtherLongTermDebtNoncurrent'),
        ...gaap('LongtermFederalHomeLoanBankAdvancesNoncurrent', 'LongTermConstructionLoanNoncurrent'),
        ...ifrs('NoncurrentPortionOfNoncurrentBondsIssued', 'NoncurrentPortionOfNoncurrentLoansReceived'),
        ...ifrs('NoncurrentPortionOfNoncurrentNotesAndDebenturesIssued'),
      ],
      parts: [LONG],
    },
    {
      tags: [
        ...gaap(
          'ConvertibleDebtCurrent',
          'ConvertibleNotesPayableCurrent',
          'ConvertibleSubordinatedDebtCurrent',
        ),
        ...gaap(
          'NotesPayableCurrent',
          'NotesAndLoansPayableCurrent',
          'SeniorNotesCurrent',
          'MediumtermNotesCurrent',
        ),
        ...gaap(
          'OtherNotesPayableCurrent',
          'NotesPayableToBankCurrent',
          'NotesPayableRelatedPartiesClassifiedCurrent',
        ),
        ...gaap('LoansPayableCurrent', 'LoansPayableToBankCurrent', 'OtherLoansPayableCurrent'),
        ...gaap(
          'SecuredDebtCurrent',
          'UnsecuredDebtCurrent',
          'SubordinatedDebtCurrent',
          'LinesOfCreditCurrent',
        ),
        ...gaap(
          'LongTermCommercialPaperCurrent',
          'OtherLongTermDebtCurrent',
          'FederalHomeLoanBankAdvancesCurrent',
        ),
      ],
      parts: [MATURING],
    },
    {
      tags: [
        ...gaap('CommercialPaper', 'BankOverdrafts', 'BridgeLoan', 'OtherShortTermBorrowings'),
        ...gaap('ShortTermBankLoansAndNotesPayable', 'ShortTermNonBankLoansAndNotesPayable'),
        ...gaap('SecuritiesSoldUnderAgreementsToRepurchase', 'WarehouseAgreementBorrowings'),
        ...gaap('FederalFundsPurchasedAndSecuritiesSoldUnderAgreementsToRepurchase'),
      ],
      parts: [SHORT],
    },
    {
      tags: [
        ...ifrs('CurrentBondsIssuedAndCurrentPortionOfNoncurrentBondsIssued', 'CurrentLoansReceived'),
        ...ifrs('CurrentLoansReceivedAndCurrentPortionOfNoncurrentLoansReceived'),
        ...ifrs('CurrentNotesAndDebenturesIssuedAndCurrentPortionOfNoncurrentNotesAndDebenturesIssued'),
      ],
      parts: [MATURING, SHORT],
    },
    {
      tags: [
        ...gaap('NotesPayable', 'NotesAndLoansPayable', 'ConvertibleDebt', 'ConvertibleNotesPayable'),
        ...gaap('ConvertibleSubordinatedDebt', 'SeniorNotes', 'MediumtermNotes', 'OtherNotesPayable'),
        ...gaap(
          'JuniorSubordinatedNotes',
          'NotesPayableToBank',
          'NotesPayableRelatedPartiesCurrentAndNoncurrent',
        ),
        ...gaap(
          'LoansPayable',
          'LoansPayableToBank',
          'OtherLoansPayable',
          'LineOfCredit',
          'OtherLongTermDebt',
        ),
        ...gaap('SecuredDebt', 'UnsecuredDebt', 'SubordinatedDebt', 'ConstructionLoan', 'OtherBorrowings'),
        ...gaap('JuniorSubordinatedDebentureOwedToUnconsolidatedSubsidiaryTrust', 'LongTermCommercialPaper'),
        ...gaap('AdvancesFromFederalHomeLoanBanks', 'FederalHomeLoanBankAdvancesLongTerm'),
        ...ifrs('BondsIssued', 'LoansReceived', 'NotesAndDebenturesIssued'),
      ],
      parts: [LONG, MATURING],
    },
  ],
  addsPieces: true,
  // Face values exceed carrying values by discounts and costs of issuance.
  tolerance: 0.05,
}
